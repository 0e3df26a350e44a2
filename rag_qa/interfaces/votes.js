// Runs once in the page, with `element` (what is told of a vote), `props` and `watch` given. What is thought of an answer is known to page.js; here it
// is told whether the server has kept it.

const SHOWN = 6000; // milliseconds that a message stays

let timer = 0;

watch('value', () => {
  const { turn, is_kept: isKept } = props.value || {};
  if (turn && !isKept) {
    document.querySelector('#rq-conversation .rq-turn')?.dispatchEvent(new CustomEvent('rq-not-kept', { bubbles: true, detail: { turn } }));
  }
  clearTimeout(timer);
  timer = setTimeout(() => { props.said = ''; }, SHOWN);
});
