import { parsed } from '../surface/refused-error.js';
import { attempt } from './action.js';

interface JsonFileProperties {
  readonly label: string;
  readonly onFile: (content: object, name: string) => Promise<unknown>;
}

/** A field for a JSON file, which it reads at once. */
export function JsonFile({ label, onFile }: JsonFileProperties) {
  const read = async (file: File) => {
    const content = parsed(await file.text());
    if (typeof content === 'object' && content !== null) return onFile(content, file.name);
    const advice = /\.ya?ml$/i.test(file.name)
      ? ' `serve --seed` also reads YAML; here, save it as JSON.'
      : '';
    throw new Error(`${file.name} is not a JSON object.${advice}`);
  };
  return (
    <label class="after">
      {label}
      <input
        type="file"
        accept=".json,.yaml,.yml,application/json"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void attempt(() => read(file));
          currentTarget.value = '';
        }}
      />
    </label>
  );
}
