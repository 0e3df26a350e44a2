// Runs once in the page, with `element` (the menu of files), `props`, `trigger` and `watch` given. The server makes a file and sends it as the value
// of the component; the browser saves it. Nothing is written on the server.

const SHOWN = 8000; // milliseconds that a message stays

let timer = 0;

const menu = () => element.querySelector('details.rq-save');

function close() {
  if (menu()?.open) menu().open = false;
}

function save({ format, turn = '0' }) {
  close();
  trigger('save', { format, turn });
}

function keep({ name, content }) {
  const link = document.createElement('a');
  // not its real type: it is to be saved, never shown by this page
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

element.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-format]');
  if (!button) return;
  menu().querySelector('summary').focus({ preventScroll: true }); // the button is about to go
  save(button.dataset);
});
element.addEventListener('rq-save', (event) => save(event.detail));
element.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !menu()?.open) return;
  close();
  menu().querySelector('summary').focus({ preventScroll: true });
});

// it lies over the conversation, so it closes when one turns to something else
for (const kind of ['pointerdown', 'focusin']) {
  document.addEventListener(kind, (event) => {
    if (!element.contains(event.target)) close();
  });
}

watch('value', () => {
  if (props.value?.name) keep(props.value);
  clearTimeout(timer);
  timer = setTimeout(() => { props.said = ''; }, SHOWN);
});
