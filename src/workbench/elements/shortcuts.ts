/**
 * Follows the shortcuts of the page. Each control names its keys itself, in `aria-keyshortcuts`. A button or a link is pressed, a text
 * field gets the focus, and a list gets the key. Where several controls have the same key, the last visible one counts.
 */
export function followShortcuts(page: Document): void {
  page.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const field = page.querySelector<HTMLElement>(':is(input, textarea, select):focus');
    if (!isCommand && field !== null) {
      if (event.key === 'Escape') field.blur();
      return;
    }
    const keys = isCommand ? `Control+${event.key}` : event.key;
    const around = page.querySelector('dialog[open]') ?? page;
    const named = around.querySelectorAll<HTMLElement>(`[aria-keyshortcuts~="${CSS.escape(keys)}"]`);
    const control = [...named].findLast((each) => each.checkVisibility());
    if (control === undefined) return;
    event.preventDefault();
    if (control.matches('a, button')) control.click();
    else control.focus();
    if (control.matches('input')) page.execCommand('selectAll');
    if (control.matches('div')) control.dispatchEvent(new KeyboardEvent('keydown', { key: event.key }));
  });
}
