import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { aText, differences } from '../comparison.js';
import type { ConformanceRun } from '../conformance-run.js';
import { holds, notChecked } from '../evidence.js';
import { fieldOf, isObject } from '../exchange/json.js';
import { describeList, listIn } from '../exchange/list.js';
import { describeStatus, isRefusedKey, isSuccess, notRequested, seeing } from '../exchange/outcome.js';

const { list } = operations.templates;

/**
 * §2 Template and §4 GET /v1/templates. These requests come first, because they are the simplest: if the deployment refuses the
 * key here and for a second list, the check ends.
 */
export async function checkTemplates(run: ConformanceRun): Promise<void> {
  const listed = await run.request(list);
  const second = isRefusedKey(listed) ? await run.request(operations.webhooks.list) : listed;
  const isKeyRefused = isRefusedKey(listed) && isRefusedKey(second);
  if (isKeyRefused) run.stop('a key that the deployment accepts');
  const templates = listIn(list, listed) ?? [];
  const ids = templates.map((template) => fieldOf(template, 'id'));
  run.templateIds = ids.filter((id) => typeof id === 'string');
  const wanted = run.settings.send?.templateId;
  const [template] = templates;

  run.saw(
    statements.keyAccepted,
    isKeyRefused || isSuccess(listed)
      ? holds(!isKeyRefused, describeStatus(listed), 'a key that the deployment accepts')
      : notChecked('a list of templates'),
  );
  run.saw(
    statements.templateId,
    ids.length === 0
      ? notChecked('a template in the list')
      : holds(
          ids.flatMap((id) => differences({ id: aText }, { id })),
          `of each of ${ids.length}`,
          'of every template',
        ),
  );
  if (isKeyRefused) run.saw(statements.listTemplates, notChecked('a key that the deployment accepts'));
  else
    run.expect(statements.listTemplates, listed, {
      status: 'a success',
      expected: wanted === undefined ? 'a list' : 'a list with the template to send',
      problems: () => [
        ...(listIn(list, listed) === undefined ? ['not a list'] : []),
        ...(wanted === undefined || ids.includes(wanted) ? [] : ['without the template to send']),
      ],
      described: (outcome) => describeList(list, outcome),
    });
  run.notShown(
    '§2 The fields of a template beyond its id',
    isObject(template)
      ? Object.keys(template)
          .filter((name) => name !== 'id')
          .map((name) => name.slice(0, 40))
          .slice(0, 12)
          .join(', ') || 'none'
      : notRequested('a template in the list'),
  );
  run.notShown(
    '§4 The response of the list of templates',
    seeing((outcome) => describeList(list, outcome), listed),
  );
}
