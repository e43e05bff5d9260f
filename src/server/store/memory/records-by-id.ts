/** Records of one kind in memory by id, in the order of their addition: templates, segments or journeys. */
export class RecordsById<Kept extends { readonly id: string }> {
  readonly #byId: Map<string, Kept>;

  constructor(records: readonly Kept[]) {
    this.#byId = new Map(records.map((record) => [record.id, record]));
  }

  async list(): Promise<readonly Kept[]> {
    return this.all();
  }

  async find(id: string): Promise<Kept | undefined> {
    return this.#byId.get(id);
  }

  async put(record: Kept): Promise<void> {
    this.#byId.set(record.id, record);
  }

  async delete(id: string): Promise<boolean> {
    return this.#byId.delete(id);
  }

  all(): readonly Kept[] {
    return [...this.#byId.values()];
  }
}
