/** Waits for something that comes soon. Rejects with what was awaited if it does not come within five seconds. */
export async function soon<Result>(awaited: Promise<Result>, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Within five seconds there was not ${what}.`)), 5_000);
  });
  return Promise.race([awaited, limit]).finally(() => clearTimeout(timer));
}
