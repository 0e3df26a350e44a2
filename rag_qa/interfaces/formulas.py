r"""Formulas of abstracts, "$1.78\times$", as they are read. Only where they are shown: what is quoted, copied and saved stays as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FORMULA = re.compile(r"(?<![\\$\w])\$(?! )(?P<inside>[^$\n]{1,80}?)(?<! )\$(?![$\w])")
_GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi varphi chi psi omega "
        "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split(),
        "α β γ δ ε ε ζ η θ ι κ λ μ ν ξ π ρ σ τ υ φ φ χ ψ ω Γ Δ Θ Λ Ξ Π Σ Φ Ψ Ω".split(),
        strict=True,
    )
)
_SIGNS = {
    **_GREEK,
    "times": "×",
    "cdot": "·",
    "pm": "±",
    "sim": "∼",
    "approx": "≈",
    "leq": "≤",
    "le": "≤",
    "geq": "≥",
    "ge": "≥",
    "ll": "≪",
    "gg": "≫",
    "neq": "≠",
    "infty": "∞",
    "ell": "ℓ",
    "to": "→",
    "rightarrow": "→",
    "in": "∈",
    "partial": "∂",
    "nabla": "∇",
    "sum": "∑",
    "ldots": "…",
    "dots": "…",
    "circ": "∘",
    "mid": "∣",
    "equiv": "≡",
    "propto": "∝",
    "min": "min",
    "max": "max",
    "log": "log",
    "exp": "exp",
    "quad": " ",
}
_SPACED = frozenset("times cdot pm sim approx leq le geq ge ll gg neq to rightarrow in equiv propto mid".split())
_RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-=()aeioxjkmnpst∞", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢₒₓⱼₖₘₙₚₛₜ∞")
_SCRIPT = re.compile(r"(?P<which>[\^_])(?:\{(?P<several>[^{}]*)\}|(?P<one>\S))")
_FONT = re.compile(r"\\(?:textbf|textit|text|mathbf|mathrm|mathit|mathsf|texttt|operatorname|boldsymbol)\{(?P<inside>[^{}\\]*)\}")
_COMMAND = re.compile(r"\\(?P<name>[a-zA-Z]+) ?")
_WORD = re.compile(r"[a-z]{3}")
_LEFT = re.compile(r"[\\{}^_$~&]")


def readable(formula: str) -> str:
    r"""What stands between the dollar signs of a formula, in the characters that it means; "" where any of it has none: better raw than wrong.

    >>> readable(r"1.78\times"), readable(r"\ell_\infty"), readable("N=16"), readable(r"O(n^2 \log n)"), readable(r"\frac{1}{2}")
    ('1.78×', 'ℓ∞', 'N=16', 'O(n² log n)', '')
    """
    plain = _FONT.sub(lambda found: found["inside"], formula.replace(r"\%", "%").replace(r"\,", " ").replace(r"\ ", " "))
    if plain == formula and _WORD.search(formula) and not _LEFT.search(formula):
        return ""  # "$5 million or 6$"
    signs = _COMMAND.sub(_sign, plain)
    scripts = _SCRIPT.sub(_script, signs)
    return "" if _LEFT.search(scripts) or not scripts.strip() else " ".join(scripts.split())


def _sign(found: re.Match[str]) -> str:
    sign = _SIGNS.get(found["name"])
    if sign is None:
        return found.group()
    rest = found.string[found.end() :]
    before = found.string[: found.start()]
    # "n \times n" has room around the sign, "1.78\times" has none
    spaced = found["name"] in _SPACED and bool(before.strip()) and bool(rest.strip())
    return f" {sign} " if spaced else f"{sign} " if sign.isalpha() and len(sign) > 1 and found.group().endswith(" ") else sign


def _script(found: re.Match[str]) -> str:
    inside = found["several"] if found["several"] is not None else found["one"]
    raised = found["which"] == "^"
    shown = inside.translate(_RAISED if raised else _LOWERED)
    is_whole = all(one != other or one in "∞" for one, other in zip(inside, shown, strict=True))
    return shown if is_whole and inside else found.group()


def parts(text: str) -> Iterator[tuple[str, str]]:
    r"""A text in pieces that make it up, each with how it is read if it is a formula that reads otherwise than it stands; "" for the rest.

    >>> list(parts(r"up to $1.67\times$ faster"))
    [('up to ', ''), ('$1.67\\times$', '1.67×'), (' faster', '')]
    >>> list(parts("costs $5 and $6"))
    [('costs $5 and $6', '')]
    """
    end = 0
    for found in _FORMULA.finditer(text):
        if shown := readable(found["inside"]):
            if found.start() > end:
                yield text[end : found.start()], ""
            yield found.group(), shown
            end = found.end()
    if end < len(text):
        yield text[end:], ""
