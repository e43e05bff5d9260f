import { Action, attempt } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { Confirm } from '../../elements/confirm.js';
import { announce } from '../../elements/notices.js';
import { saveFile } from '../../elements/save-file.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** Takes the workspace away in a file, brings it back, or begins anew. */
export function StateCard() {
  const { live } = useBench();
  const { surface } = live;
  const load = async (file: File) => {
    await surface.control(control.workspace.restore, { body: JSON.parse(await file.text()) });
    live.beginAnew();
    announce('The workspace is as the snapshot has it.');
  };
  return (
    <Card title="State">
      <div class="acts">
        <Action
          look="primary"
          onRun={async () => saveFile('seed.json', inLines(await surface.control(control.workspace.seed)))}
          done="Start a server with it: serve --seed seed.json"
        >
          Save as seed
        </Action>
        <Action
          onRun={async () =>
            saveFile('snapshot.json', inLines(await surface.control(control.workspace.snapshot)))
          }
        >
          Save a snapshot
        </Action>
        <Confirm
          question="Reset to the seed? All that happened is lost."
          done="The workspace is as its seed has it."
          onRun={() => surface.control(control.workspace.reset)}
        >
          Reset
        </Confirm>
      </div>
      <label class="after">
        Load a snapshot
        <input
          type="file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void attempt(() => load(file));
            currentTarget.value = '';
          }}
        />
      </label>
      <p class="after">
        <small>
          A seed has the workspace as it is now, without its history. Both files have secrets and phone
          numbers.
        </small>
      </p>
    </Card>
  );
}

function inLines(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
