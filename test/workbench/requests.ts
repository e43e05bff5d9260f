import { onTestFinished, vi } from 'vitest';

/** Answers the page's requests until the test ends. Returns the requests, which grow. */
export function answerRequests(
  answer: (request: Request) => Response | Promise<Response>,
): readonly Request[] {
  const asked: Request[] = [];
  vi.stubGlobal('fetch', async (target: string, init: RequestInit) => {
    const request = new Request(new URL(target, 'http://workbench.test'), init);
    asked.push(request);
    return answer(request);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return asked;
}
