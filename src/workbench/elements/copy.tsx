import type { ComponentChildren } from 'preact';
import { Action } from './action.js';

interface CopyProperties {
  readonly text: string | undefined;
  readonly children: ComponentChildren;
}

/** A button that copies a text, when the text is available. */
export function Copy({ text, children }: CopyProperties) {
  return (
    <Action onRun={async () => text !== undefined && copy(text)} done="Copied." disabled={text === undefined}>
      {children}
    </Action>
  );
}

/** Copies a text, by a selection where there is no other way: a page without HTTPS on another machine has no clipboard API. */
export async function copy(text: string): Promise<void> {
  const { clipboard }: { clipboard?: Clipboard } = navigator;
  if (clipboard !== undefined) return clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (!copied) throw new Error('The browser did not copy the text. Select it and copy it by hand.');
}
