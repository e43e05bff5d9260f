import { type Availability, findOrInstall, succeeds } from './debian.js';

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A Chromium of this machine. */
export function findChromium(): Promise<Availability<{ readonly program: string }>> {
  return findOrInstall('chromium', async () => {
    for (const program of programs) if (await succeeds(program, '--version')) return { program };
    return undefined;
  });
}
