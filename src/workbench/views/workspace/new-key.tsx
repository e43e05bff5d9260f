import { Copy } from '../../elements/copy.js';

/** A key that was just made. Nothing shows it again. */
export function NewKey({ apiKey }: { readonly apiKey: string }) {
  return (
    <div class="new-key" role="status">
      <p>Save this key. It is not shown again.</p>
      <code>{apiKey}</code>
      <div class="acts">
        <Copy text={apiKey}>Copy the key</Copy>
        <a class="button" href={`/#key=${encodeURIComponent(apiKey)}`} target="_blank" rel="noopener">
          Open in a new tab
        </a>
      </div>
    </div>
  );
}
