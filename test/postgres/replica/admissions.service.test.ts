import { describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from '../support/database.js';
import { emptyWorkspace, openTwo } from '../support/replicas.js';

describe.skipIf(missingPostgres)('the requests of a rate limit', () => {
  const postgres = usePostgres();

  test('are counted once each in their period and their workspace, whichever replica they come to', async () => {
    const { one, other } = await openTwo(postgres());
    await one.store.records.addWorkspace(emptyWorkspace('w'));
    await one.store.records.addWorkspace(emptyWorkspace('v'));
    const [here, there] = [one, other].map(({ store }) => store.records.workspace('w').admissions);
    const counted = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? here : there)?.count(1_000, 60_000)),
    );
    expect(counted.map((period) => period?.requests).sort((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    expect(await here?.count(60_999, 60_000)).toEqual({ startedAt: 1_000, requests: 101 });
    const ofAnother = one.store.records.workspace('v').admissions;
    expect(await ofAnother.count(5, 60_000)).toEqual({ startedAt: 5, requests: 1 });
    expect(await there?.count(61_000, 60_000)).toEqual({ startedAt: 61_000, requests: 1 });
    await here?.clear();
    expect(await there?.count(61_500, 60_000)).toEqual({ startedAt: 61_500, requests: 1 });
    expect(await ofAnother.count(6, 60_000)).toEqual({ startedAt: 5, requests: 2 });
  });
});
