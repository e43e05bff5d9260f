/** Records of one kind in memory by id, in the order of their addition: templates, segments, journeys or subscriptions. */
export class RecordsById<Kept extends { readonly id: string }> {
  readonly #byId: Map<string, Kept>;
  readonly #changed: () => void;

  constructor(records: readonly Kept[], changed: () => void) {
    this.#changed = changed;
    this.#byId = new Map(records.map((record) => [record.id, record]));
  }

  async list(): Promise<readonly Kept[]> {
    return this.all();
  }

  async find(id: string): Promise<Kept | undefined> {
    return this.get(id);
  }

  get(id: string): Kept | undefined {
    return this.#byId.get(id);
  }

  async put(record: Kept): Promise<void> {
    this.#byId.set(record.id, record);
    this.#changed();
  }

  async delete(id: string): Promise<boolean> {
    const isDeleted = this.#byId.delete(id);
    if (isDeleted) this.#changed();
    return isDeleted;
  }

  all(): readonly Kept[] {
    return [...this.#byId.values()];
  }
}
