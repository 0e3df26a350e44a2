// Runs once in the page, with `element` (the panel of filters), `props`, `trigger` and `watch` given. What is chosen is the value of the component:
// every question takes it along as it stands at that moment.

let timer = 0;
let isOpen = false;

const panel = () => element.querySelector('details.rq-filters');
const form = () => element.querySelector('form.rq-panel');

function chosen() {
  const found = {};
  for (const field of form()?.elements ?? []) {
    if (field.name === 'exclude_types') {
      if (field.checked) (found.exclude_types ??= []).push(field.value);
    } else if (field.type === 'checkbox') {
      if (field.checked) found[field.name] = true;
    } else if (field.type === 'number') {
      if (Number.isFinite(field.valueAsNumber)) found[field.name] = Math.trunc(field.valueAsNumber);
    } else if (field.name && field.value.trim()) {
      found[field.name] = field.value.trim();
    }
  }
  return found;
}

function changed() {
  props.value = chosen();
  clearTimeout(timer);
  timer = setTimeout(() => trigger('narrow'), 150);
}

function close() {
  if (panel()?.open) panel().open = false;
}

function unfilter() {
  form()?.reset(); // tells of it by an event
}

element.addEventListener('input', changed);
element.addEventListener('reset', () => setTimeout(changed)); // the fields are empty afterwards
element.addEventListener('submit', (event) => {
  event.preventDefault();
  close();
  document.querySelector('#rq-question textarea')?.focus({ preventScroll: true });
});
element.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !panel()?.open) return;
  close();
  panel().querySelector('summary').focus({ preventScroll: true });
});
element.addEventListener('click', (event) => {
  if (!event.target.closest('.rq-unfilter')) return;
  unfilter();
  panel().querySelector('summary').focus({ preventScroll: true }); // the button is about to go
});
element.addEventListener('toggle', (event) => {
  if (event.target === panel()) isOpen = panel().open;
}, true);
element.addEventListener('rq-unfilter', unfilter);

// it lies over the conversation, so it closes when one turns to something else
for (const kind of ['pointerdown', 'focusin']) {
  document.addEventListener(kind, (event) => {
    if (!element.contains(event.target)) close();
  });
}

watch(['form', 'said'], () => {
  // the server does not know that it was opened, so its new HTML closes it
  if (panel()) panel().open = isOpen;
});
