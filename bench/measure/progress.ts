/** Says on the error stream how far the work is; the output stays for the results. */
export function showProgress(work: string, done: number, of: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${done < of ? `${work}: ${done}/${of}` : ''}`);
  else if (done === 0) process.stderr.write(`${work} …\n`);
}
