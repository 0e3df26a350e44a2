// Runs once in the page, with `element` (the conversation), `trigger` and `watch` given. The page works without it; it adds comfort:
// a click on a marker scrolls to the evidence and flashes it, opened abstracts stay open, a new question scrolls to the top.

const opened = new Set();
const said = new Map(); // what is thought of an answer, by the number of its turn: { verdict, reason, comment, sent }
const calm = window.matchMedia('(prefers-reduced-motion: reduce)');
const touch = window.matchMedia('(pointer: coarse)');
let turns = 0;

function scrollTo(target, block) {
  target.scrollIntoView({ behavior: calm.matches ? 'auto' : 'smooth', block });
}

function flash(target) {
  target.classList.remove('rq-flash');
  void target.offsetWidth; // restarts the animation
  target.classList.add('rq-flash');
}

function goTo(marker) {
  const card = document.getElementById(marker.getAttribute('href').slice(1));
  if (!card) return false;
  const folded = card.closest('details.rq-rest');
  if (folded) folded.open = true;
  const mark = marker.dataset.mark && document.getElementById(marker.dataset.mark);
  scrollTo(mark || card, 'center');
  flash(card);
  if (mark) flash(mark);
  card.focus({ preventScroll: true });
  return true;
}

// the server does not know which thumb is up and what is typed, so its new HTML has neither
function paintVotes() {
  for (const [turn, { verdict, reason, comment, sent }] of said) {
    for (const thumb of element.querySelectorAll(`button[data-vote][data-turn="${turn}"]`)) {
      thumb.setAttribute('aria-pressed', String(thumb.dataset.vote === verdict));
    }
    const form = document.getElementById(`t${turn}-why`);
    if (!form) continue;
    form.hidden = verdict !== 'bad' || sent;
    for (const radio of form.querySelectorAll('input[type="radio"]')) radio.checked = radio.value === reason;
    if (form.elements.comment.value !== comment) form.elements.comment.value = comment;
  }
}

function vote(turn, change) {
  said.set(turn, { verdict: '', reason: '', comment: '', sent: false, ...said.get(turn), ...change });
  paintVotes();
  const { verdict, reason, comment } = said.get(turn);
  trigger('vote', { turn, verdict: verdict || 'taken back', reason: verdict === 'bad' ? reason : '', comment: verdict === 'bad' ? comment : '' });
}

element.addEventListener('submit', (event) => {
  const form = event.target.closest('form.rq-why');
  if (!form) return;
  event.preventDefault();
  vote(form.dataset.turn, { sent: true });
  element.querySelector(`button[data-vote="bad"][data-turn="${form.dataset.turn}"]`)?.focus({ preventScroll: true }); // the form is gone
});

element.addEventListener('input', (event) => {
  const form = event.target.closest('form.rq-why');
  if (!form) return;
  const reason = form.querySelector('input[type="radio"]:checked')?.value || '';
  said.set(form.dataset.turn, { ...said.get(form.dataset.turn), reason, comment: form.elements.comment.value });
});

element.addEventListener('rq-not-kept', (event) => {
  said.set(event.detail.turn, { verdict: '', reason: '', comment: '', sent: false });
  paintVotes();
});

element.addEventListener('click', (event) => {
  const thumb = event.target.closest('button[data-vote]');
  if (thumb) {
    const { turn, vote: wanted } = thumb.dataset;
    vote(turn, { verdict: said.get(turn)?.verdict === wanted ? '' : wanted, sent: false });
    return;
  }
  const question = event.target.closest('button[data-question]');
  if (question) {
    if (element.querySelector('[aria-busy="true"]')) return; // one after the other
    const { undo = '', turn = '0', longer = '' } = question.dataset;
    if (undo.includes('filters')) document.querySelector('#rq-filters form')?.dispatchEvent(new Event('rq-unfilter', { bubbles: true }));
    trigger('ask', { question: question.dataset.question, undo, turn, longer });
    // the button is about to go; where there is a keyboard anyway, the next question can be typed at once
    if (!touch.matches) document.querySelector('#rq-question textarea')?.focus({ preventScroll: true });
    return;
  }
  const file = event.target.closest('button[data-format]');
  if (file) {
    document.querySelector('#rq-files .rq-save')?.dispatchEvent(new CustomEvent('rq-save', { bubbles: true, detail: { ...file.dataset } }));
    return;
  }
  const marker = event.target.closest('a.rq-marker');
  if (marker && goTo(marker)) event.preventDefault();
});

element.addEventListener('toggle', (event) => {
  if (!event.target.id) return;
  if (event.target.open) opened.add(event.target.id);
  else opened.delete(event.target.id);
}, true);

watch('value', () => {
  // the server does not know what was opened, so its new HTML closes it
  for (const id of [...opened]) {
    const details = document.getElementById(id);
    if (details) details.open = true;
    else opened.delete(id);
  }
  const all = element.querySelectorAll('.rq-turn');
  if (all.length < turns) said.clear(); // a new conversation
  paintVotes();
  if (all.length > turns) scrollTo(all[all.length - 1], 'start');
  turns = all.length;
});
