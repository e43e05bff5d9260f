/** The largest part of a body that is read, in bytes. */
const bodyLimit = 1024 * 1024;

/** Reads the text of a body up to the limit. `cut` says whether the body is longer. */
export async function readBody({
  body,
}: Response): Promise<{ readonly text: string; readonly cut: boolean }> {
  if (body === null) return { text: '', cut: false };
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), cut: false };
    length += value.length;
    if (length > bodyLimit) {
      reader.cancel().catch(() => {});
      return { text, cut: true };
    }
    text += decoder.decode(value, { stream: true });
  }
}
