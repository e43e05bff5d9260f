import { signal } from '@preact/signals';
import { Action, Confirm } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { Copy } from '../../elements/copy.js';
import { linkFor } from '../../surface/key.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** The latest new key. A module variable, because the view is created again after a rotation. */
const made = signal<string>();

/** Issues another key, or replaces the one that the page has. */
export function KeysCard() {
  const { live, openWith } = useBench();
  return (
    <Card title="Keys">
      <div class="acts">
        <Action
          onRun={async () => {
            made.value = (await live.surface.control(control.keys.issue)).apiKey;
          }}
        >
          Issue another key
        </Action>
        <Confirm
          question="Rotate? The old key stops working."
          done="Key rotated. This tab uses the new one."
          onRun={async () => {
            const { apiKey } = await live.surface.control(control.keys.rotate);
            made.value = apiKey;
            openWith(apiKey);
          }}
        >
          Rotate this page's key
        </Confirm>
      </div>
      {made.value !== undefined && <NewKey apiKey={made.value} />}
    </Card>
  );
}

/** A key that was just made. Nothing shows it again. */
export function NewKey({ apiKey }: { readonly apiKey: string }) {
  return (
    <div class="new-key" role="status">
      <p>Save this key. It is not shown again.</p>
      <code>{apiKey}</code>
      <div class="acts">
        <Copy text={apiKey}>Copy the key</Copy>
        <Action onRun={async () => void window.open(await linkFor(apiKey), '_blank', 'noopener')}>
          Open in a new tab
        </Action>
      </div>
    </div>
  );
}
