/**
 * Does the work of a claim. If it fails, gives the claim back: while this process keeps a claim, nobody else can do the work.
 *
 * @throws What the work threw.
 */
export async function orGiveBack<Result>(
  work: () => Promise<Result>,
  giveBack: () => Promise<void>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // Without its store the claim ends with its lease.
    await giveBack().catch(() => {});
    throw error;
  }
}
