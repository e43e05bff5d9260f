import { HttpResponse, http } from 'msw';
import { expect, onTestFinished, test, vi } from 'vitest';
import { intercept } from './environments/interception.js';

test.each([
  ['of an unknown path', 'https://api.example.test/api/v1/journeys'],
  ['that MSW would let pass', 'https://api.example.test/style.css'],
])('a request %s fails the test even if its sender hides that', async (_, url) => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const templates = 'https://api.example.test/api/v1/templates';
  const interception = intercept([http.get(templates, () => HttpResponse.json([]))]);
  expect(await (await fetch(templates)).json()).toEqual([]);
  await expect(fetch(url)).rejects.toThrow();
  expect(() => interception.close()).toThrow(`Nothing was to respond GET ${url}.`);
});
