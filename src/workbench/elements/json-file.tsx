import { attempt } from './action.js';

interface JsonFileProperties {
  readonly label: string;
  readonly onFile: (content: object, name: string) => Promise<unknown>;
}

/** A field for a JSON file, which it reads at once. */
export function JsonFile({ label, onFile }: JsonFileProperties) {
  const read = async (file: File) => {
    const content: unknown = JSON.parse(await file.text());
    if (typeof content !== 'object' || content === null)
      throw new Error(`${file.name} is not a JSON object.`);
    await onFile(content, file.name);
  };
  return (
    <label class="after">
      {label}
      <input
        type="file"
        accept=".json,application/json"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void attempt(() => read(file));
          currentTarget.value = '';
        }}
      />
    </label>
  );
}
