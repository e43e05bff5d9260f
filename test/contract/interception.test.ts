import { HttpResponse, http } from 'msw';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { intercept } from './environments/interception.js';

const known = http.get('https://api.example.test/api/v1/templates', () => HttpResponse.json([]));

describe('a request that the environment does not know', () => {
  afterEach(() => vi.restoreAllMocks());

  test.each([
    ['of an unknown path', 'https://api.example.test/api/v1/journeys'],
    ['of another host', 'https://elsewhere.example.test/'],
    ['of this machine', 'http://127.0.0.1:9/'],
    ['of a file that MSW would let pass', 'https://api.example.test/style.css'],
  ])('%s fails, and fails the test even where its sender hides that', async (_, url) => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    const interception = intercept([known]);
    const hidden = await fetch(url).catch((error: unknown) => error);
    expect(hidden).toBeInstanceOf(Error);
    expect(() => interception.close()).toThrow(`Nothing was to answer GET ${url}`);
    expect(print).toHaveBeenCalled();
  });

  test('leaves a known one alone', async () => {
    const interception = intercept([known]);
    const response = await fetch('https://api.example.test/api/v1/templates');
    expect(await response.json()).toEqual([]);
    expect(() => interception.close()).not.toThrow();
  });
});
