/**
 * Bytes in a buffer that is not shared: `Uint8Array<ArrayBuffer>`, in a form that also compiles before TypeScript 5.7,
 * where `Uint8Array` has no type argument.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;
