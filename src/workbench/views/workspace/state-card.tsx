import { Action } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { JsonFile } from '../../elements/json-file.js';
import { announce } from '../../elements/notices.js';
import { ask } from '../../elements/question.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';

/** Saves the workspace in a file, restores it, or resets it. */
export function StateCard() {
  const live = useLive();
  const { surface } = live;
  const load = async (body: object, name: string) => {
    if (!(await ask(`Replace the whole workspace with ${name}? Its current content is lost.`, 'Load')))
      return;
    await surface.control(control.workspace.restore, { body });
    live.beginAnew();
    announce('Snapshot loaded. The timeline starts again.');
  };
  return (
    <Card title="State">
      <div class="acts">
        <Action
          look="primary"
          onRun={async () => saveFile('seed.json', await surface.control(control.workspace.seed))}
          done="Start a server with serve --seed seed.json"
        >
          Save as seed
        </Action>
        <Action
          onRun={async () => saveFile('snapshot.json', await surface.control(control.workspace.snapshot))}
        >
          Save a snapshot
        </Action>
        <Action
          question="Reset to the seed? The history is lost."
          done="Workspace reset."
          onRun={() => surface.control(control.workspace.reset)}
        >
          Reset
        </Action>
      </div>
      <JsonFile label="Load a snapshot" onFile={load} />
      <p class="after">
        <small>
          A seed contains the workspace without its history. A snapshot also contains messages, deliveries and
          journey runs, but no timeline. Both files contain secrets and phone numbers.
        </small>
      </p>
    </Card>
  );
}

/** Lets the browser save a value as a JSON file. */
function saveFile(name: string, content: unknown): void {
  const text = `${JSON.stringify(content, undefined, 2)}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the file by the next turn.
  setTimeout(() => URL.revokeObjectURL(url));
}
