/**
 * Does the work of a claim. If the work fails, releases the claim, because no other process can do the work during the claim.
 *
 * @throws The error of the work.
 */
export async function orRelease<Result>(
  work: () => Promise<Result>,
  release: () => Promise<void>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // If the store is unreachable, the claim expires with its lease.
    await release().catch(() => {});
    throw error;
  }
}
