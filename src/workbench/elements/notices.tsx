import { signal } from '@preact/signals';
import './notices.css';

interface Notice {
  readonly text: string;
  readonly tone: 'plain' | 'bad';
}

const notice = signal<Notice>();
let hiding: ReturnType<typeof setTimeout> | undefined;

/** How long a notice stays. In milliseconds. An error stays until its cause is gone. */
const shownFor = 4_000;

/** Shows the result of an action. */
export function announce(text: string, tone: Notice['tone'] = 'plain'): void {
  clearTimeout(hiding);
  notice.value = { text, tone };
  if (tone === 'plain') hiding = setTimeout(hide, shownFor);
}

/** Removes the error of an action: another one runs, its input changes, or the page shows something else. */
export function forgetError(): void {
  if (notice.peek()?.tone === 'bad') hide();
}

window.addEventListener('hashchange', forgetError);
window.addEventListener('input', forgetError);

function hide(): void {
  notice.value = undefined;
}

/** Where notices show. A screen reader reads each one. */
export function Notices() {
  const shown = notice.value;
  return (
    <div class="notices" role="status" aria-live="polite">
      {shown && (
        <p class={`notice ${shown.tone}`}>
          <span>{shown.text}</span>
          <button type="button" class="quiet" onClick={hide} aria-label="Close the notice">
            ×
          </button>
        </p>
      )}
    </div>
  );
}
