/**
 * Does the work of a claim. If the work fails, releases the claim, because no one else can do the work while this process has it.
 *
 * @throws The error of the work.
 */
export async function orGiveBack<Result>(
  work: () => Promise<Result>,
  giveBack: () => Promise<void>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // If the store is unreachable, the claim expires with its lease.
    await giveBack().catch(() => {});
    throw error;
  }
}
