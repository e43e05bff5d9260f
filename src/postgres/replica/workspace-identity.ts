/** Which workspace a part of the store is about, of all that ever have its id. */
export interface WorkspaceIdentity {
  /** The number of the workspace, when it was found. */
  number: number | undefined;
}

/** SQL: the column has the number in a parameter, or the parameter is null, because the workspace was not found yet. */
export function isSame(column: string, parameter: number): string {
  return `${column} = coalesce($${parameter}::bigint, ${column})`;
}
