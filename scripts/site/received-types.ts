import { readdirSync, readFileSync } from 'node:fs';
import { type Application, Converter, ReflectionKind } from 'typedoc';
import { declarationsIn } from '../api/report.js';

/** Types between a public type and what it is for a caller, which no reader needs to know. */
const helpers: ReadonlySet<string> = new Set([
  'src/webhooks/receiver/receiver-options.ts:MaybeSecret',
  'src/webhooks/diagnose/finding.ts:texts',
  'src/foundation/bytes.ts:Bytes',
  'src/contract/delivery.ts:DeliveryEnvelope',
  'src/webhooks/adapters/fetch.ts:FetchBodyReader',
  'src/client/bulk/bulk-run.ts:Outcomes',
  'src/client/definition/infer.ts:DefinitionOf',
  'src/client/definition/infer.ts:Empty',
  'src/client/definition/infer.ts:EventSchemas',
  'src/client/definition/infer.ts:NamedEvent',
  'src/client/definition/infer.ts:NamedSend',
  'src/client/definition/infer.ts:PropertySchemas',
  'src/client/definition/infer.ts:Templates',
  'src/client/definition/infer.ts:VariablesOf',
  'src/client/definition/workspace-definition.ts:InputOf',
  'src/client/definition/workspace-definition.ts:OutputOf',
  'src/server/workspace/state-schema.ts:DeliverySnapshot',
  'src/server/model/records.ts:SubscriptionRecord',
  'src/server/model/records.ts:WorkspaceRecord',
  'src/vitest/index.ts:Use',
  'src/server/workspace/state-schema.ts:StateSnapshot',
  'src/server/workspace/state-schema.ts:SeedSettings',
  'src/server/workspace/state-schema.ts:InitialState',
  'src/server/model/written-entry.ts:WrittenEntry',
  'src/server/model/written-entry.ts:WrittenRequest',
  'src/server/model/written-entry.ts:WrittenDelivery',
  'src/server/model/journal-entry.ts:Stamped',
  'src/server/model/records.ts:SegmentRecord',
  'src/server/model/records.ts:JourneyStepRecord',
  'src/server/model/records.ts:JourneyCondition',
]);

/** After typedoc-plugin-missing-exports, which adds each type that the sources name. */
const afterMissingExports = 1e8;

/**
 * Leaves those types in each module that its API report declares: what it exports, and what a caller of that receives. The others are
 * types of private members, except where the plugin has put a type of one report only into another module. Helper types that explain
 * nothing to a reader are left out too.
 */
export function keepReceivedTypes(application: Application): void {
  const reports = new Map(readdirSync('api').map((file) => readReport(`api/${file}`)));
  application.converter.on(
    Converter.EVENT_RESOLVE_BEGIN,
    ({ project }) => {
      const modules = project
        .getReflectionsByKind(ReflectionKind.Module)
        .filter((module) => module.isDeclaration());
      const isOwn = (module: string, name: string) => reports.get(module)?.has(name) !== false;
      const owned = new Set(
        modules.flatMap(({ name: module, children = [] }) =>
          children.map(({ name }) => name).filter((name) => isOwn(module, name)),
        ),
      );
      const isElsewhere = (name: string) =>
        !owned.has(name) && [...reports.values()].some((declared) => declared.has(name));
      for (const module of modules) {
        for (const member of [...(module.children ?? [])]) {
          const path = project.getSymbolIdFromReflection(member)?.packagePath;
          const isKept = isOwn(module.name, member.name) || isElsewhere(member.name);
          if (!isKept || helpers.has(`${path}:${member.name}`)) project.removeReflection(member);
        }
      }
    },
    afterMissingExports,
  );
}

/** The import path of a report, and the names that it declares. */
function readReport(path: string): readonly [string, ReadonlySet<string>] {
  const report = readFileSync(path, 'utf8');
  const names = declarationsIn(report).map(
    (declaration) => /\b(?:class|interface|type|function|const) (\w+)/.exec(declaration)?.[1] ?? declaration,
  );
  return [/^# (.*)$/m.exec(report)?.[1] ?? path, new Set(names)];
}
