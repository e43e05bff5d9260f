import { onTestFinished, vi } from 'vitest';

/** Responds to the page's requests until the test ends. Returns the requests, which grow. */
export function respondToRequests(
  response: (request: Request) => Response | Promise<Response>,
): readonly Request[] {
  const asked: Request[] = [];
  vi.stubGlobal('fetch', async (target: string, init: RequestInit) => {
    const request = new Request(new URL(target, 'http://workbench.test'), init);
    asked.push(request);
    return response(request);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return asked;
}
