import { FaultsCard } from './faults-card.js';
import { GapsCard } from './gaps-card.js';
import { KeysCard } from './keys-card.js';
import { OtherWorkspacesCard } from './other-workspaces-card.js';
import { QuotaCard } from './quota-card.js';
import { SegmentsCard } from './segments-card.js';
import { StateCard } from './state-card.js';
import { TemplatesCard } from './templates-card.js';
import './workspace.css';

/** What the workspace is made of, and everything that can be set in it. */
export function WorkspaceView() {
  return (
    <div class="scroll">
      <h2 class="unseen">Workspace</h2>
      <div class="workspace">
        <TemplatesCard />
        <FaultsCard />
        <QuotaCard />
        <StateCard />
        <SegmentsCard />
        <KeysCard />
        <OtherWorkspacesCard />
        <GapsCard />
      </div>
    </div>
  );
}
