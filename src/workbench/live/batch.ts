/** How long changes gather before the page shows them. In milliseconds. A frame of a screen takes 16. */
const gatherFor = 16;

/** Returns a function that schedules `run`. Several calls in a short time cause one run. */
export function gathered(run: () => void, after = gatherFor): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      run();
    }, after);
  };
}
