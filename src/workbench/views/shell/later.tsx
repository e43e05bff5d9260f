import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Empty } from '../../elements/card.js';

type Parts = typeof import('./later-parts.js');

const parts = signal<Parts>();
const problem = signal<string>();

interface LaterProperties {
  readonly children: (parts: Parts) => ComponentChildren;
}

/** Shows what needs the parts of the page that are loaded when the first of them shows. */
export function Later({ children }: LaterProperties) {
  useEffect(() => void loadParts(), []);
  if (parts.value !== undefined) return <>{children(parts.value)}</>;
  return problem.value === undefined ? null : <NotLoaded why={problem.value} />;
}

let isLoading = false;

async function loadParts(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  try {
    parts.value = await import('./later-parts.js');
    sessionStorage.removeItem(hasReloaded);
  } catch {
    await reloadOnce();
  }
}

/** What the tab keeps from before it reloads until the parts are there. */
const hasReloaded = 'messaging-automation.reloaded';

/** Reloads the page, whose parts are gone when the package was updated. A second reload would not help. */
async function reloadOnce(): Promise<void> {
  const page = await fetch('/', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  if (page === undefined) {
    problem.value = 'The server does not respond. Is `serve` still running?';
  } else if (sessionStorage.getItem(hasReloaded) === null) {
    sessionStorage.setItem(hasReloaded, 'yes');
    location.reload();
  } else {
    problem.value =
      'The server does not have this part of the page. Was the package updated? Restart `serve`.';
  }
}

function NotLoaded({ why }: { readonly why: string }) {
  return (
    <Empty title="This part of the page did not load">
      <p role="alert">{why}</p>
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </Empty>
  );
}
