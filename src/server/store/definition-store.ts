/** The templates, the segments or the journeys of a workspace. The members of segments are computed, not stored. */
export interface DefinitionStore<Kept> {
  /** Returns all definitions in the order of their addition. */
  list(): Promise<readonly Kept[]>;
  find(id: string): Promise<Kept | undefined>;
  /** Adds the definition at the end, or replaces the one with its id. The runs of a journey stay. */
  put(definition: Kept): Promise<void>;
  /** Deletes the definition. False if it does not exist. The runs of a journey stay. */
  delete(id: string): Promise<boolean>;
}
