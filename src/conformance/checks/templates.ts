import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { checkGroup } from '../check-group.js';
import type { ConformanceRun } from '../conformance-run.js';
import { fieldOf, isObject } from '../exchange/json.js';
import { describeList, listIn } from '../exchange/list.js';
import { describeStatus, isRefusedKey, isSuccess, notRequested, seeing } from '../exchange/outcome.js';
import { broken, holds, judge, notChecked } from '../judgement.js';

const { list } = operations.templates;

/**
 * §2 Template and §4 GET /v1/templates. These requests come first, because they are the simplest: if the deployment refuses the
 * key here and for a second list, the check ends.
 */
async function observe(run: ConformanceRun) {
  const listed = await run.request(list);
  const second = isRefusedKey(listed) ? await run.request(operations.webhooks.list) : listed;
  const isKeyRefused = isRefusedKey(listed) && isRefusedKey(second);
  if (isKeyRefused) run.stop('a key that the deployment accepts');
  const templates = listIn(list, listed);
  run.templateIds = (templates ?? []).map(idOf).filter((id) => typeof id === 'string');
  return { listed, templates, isKeyRefused, wanted: run.settings.send?.templateId };
}

export const templates = checkGroup({
  observe,
  checks: [
    {
      statement: statements.keyAccepted,
      judge: ({ listed, isKeyRefused }) => {
        if (isKeyRefused) return broken(describeStatus(listed), 'a key that the deployment accepts');
        return isSuccess(listed) ? holds(true, 'it is', '') : notChecked('a list of templates');
      },
    },
    {
      statement: statements.templateId,
      judge: (seen) => {
        if (seen.templates === undefined || seen.templates.length === 0)
          return notChecked('a template in the list');
        const wrong = seen.templates.filter((template) => typeof idOf(template) !== 'string').length;
        const seenIds = `${seen.templates.length - wrong} of ${seen.templates.length}`;
        return holds(wrong === 0, seenIds, 'of every template');
      },
    },
    {
      statement: statements.listTemplates,
      judge: (seen) => {
        if (seen.isKeyRefused) return notChecked('a key that the deployment accepts');
        const expected = seen.wanted === undefined ? 'a list' : 'a list with the template to send';
        const verdict = judge(seen.listed, expected, isSuccess, (outcome) => describeList(list, outcome));
        if (verdict.verdict !== 'held' || seen.wanted === undefined || seen.templates === undefined)
          return verdict;
        if (seen.templates.some((template) => idOf(template) === seen.wanted)) return verdict;
        return broken(`${verdict.seen}, without the template to send`, expected);
      },
    },
  ],
  silences: [
    {
      statement: '§2 The fields of a template beyond its id',
      see: ({ templates: list = [] }) => {
        const [template] = list;
        return isObject(template)
          ? Object.keys(template)
              .filter((name) => name !== 'id')
              .map((name) => name.slice(0, 40))
              .slice(0, 12)
              .join(', ') || 'none'
          : notRequested('a template in the list');
      },
    },
    {
      statement: '§4 The response of the list of templates',
      see: ({ listed }) => seeing((outcome) => describeList(list, outcome), listed),
    },
  ],
});

const idOf = (template: unknown) => fieldOf(template, 'id');
