import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { isObject } from '../../foundation/is-object.js';
import { aText, differences } from '../comparison.js';
import type { ConformanceRun } from '../conformance-run.js';
import { holds } from '../evidence.js';
import { describeList, describeStatus, fieldOf, listIn } from '../exchange/body.js';
import { isRefusedKey, isSuccess, needing } from '../exchange/outcome.js';

const aKey = 'a key that the deployment accepts';

/**
 * §2 Template and §4 GET /v1/templates. These requests come first, because they are the simplest: if the deployment refuses the
 * key here and for a second list, the check ends.
 */
export async function checkTemplates(run: ConformanceRun): Promise<void> {
  const listed = await run.request(operations.templates.list);
  const second = isRefusedKey(listed) ? await run.request(operations.webhooks.list) : listed;
  const isKeyRefused = isRefusedKey(second);
  if (isKeyRefused) run.requester.stop(aKey);
  const templates = listIn(listed) ?? [];
  const ids = templates.map((template) => fieldOf(template, 'id'));
  run.templateIds = ids.filter((id) => typeof id === 'string');
  const wanted = run.settings.send?.templateId;
  const [template] = templates;

  const seen = describeStatus(listed);
  run.saw(statements.keyAccepted, holds([isKeyRefused && seen], seen, aKey));
  if (!isSuccess(listed)) run.saw(statements.keyAccepted, needing('a list of templates'));
  const wrongIds = ids.flatMap((id) => differences(aText, id, 'id'));
  const aTemplate = needing('a template in the list');
  run.saw(statements.templateId, holds(wrongIds, `of each of ${ids.length}`, 'of every template'));
  if (ids.length === 0) run.saw(statements.templateId, aTemplate);
  run.expect(statements.listTemplates, isKeyRefused ? needing(aKey) : listed, {
    status: 'a success',
    expected: wanted === undefined ? 'a list' : 'a list with the template to send',
    problems: () => [
      listIn(listed) === undefined && 'not a list',
      wanted !== undefined && !ids.includes(wanted) && 'without the template to send',
    ],
    described: describeList,
  });
  const fields = Object.keys(isObject(template) ? template : {}).filter((name) => name !== 'id');
  const shown = fields.slice(0, 12).map((name) => name.slice(0, 40));
  const beyondId = isObject(template) ? shown.join(', ') || 'none' : aTemplate;
  run.notShown('§2 The fields of a template beyond its id', beyondId);
  run.notShown('§4 The response of the list of templates', listed, describeList);
}
