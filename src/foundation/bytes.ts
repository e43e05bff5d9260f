/**
 * Bytes in a buffer that nobody shares: `Uint8Array<ArrayBuffer>`, written so that TypeScript before 5.7, whose
 * `Uint8Array` takes no argument, can read it as well.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;
