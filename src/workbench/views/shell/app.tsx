import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { Notices } from '../../elements/notices.js';
import { Questions } from '../../elements/question.js';
import { followRoute } from '../../live/route.js';
import { followWorkspace } from '../../live/workspace.js';
import { findKey, type Opening, shareKey, storeKey } from '../../surface/key.js';
import { Surface } from '../../surface/surface.js';
import { BenchContext } from '../bench.js';
import { Door } from './door.js';
import { Room } from './room.js';

/** The page: asks for a key where it has none, and shows the workspace that the key opens. */
export function App() {
  /** Undefined until the page has looked for a key. */
  const opening = useSignal<Opening | undefined>(undefined);
  const route = useMemo(() => followRoute(window), []);
  const open = (given: string) => {
    storeKey(window, given);
    opening.value = { key: given };
  };
  // Not after the first paint: until a key is found, there is nothing to paint.
  useLayoutEffect(() => {
    const find = async () => {
      opening.value = await findKey(window, (late) => {
        if (opening.value !== undefined && opening.value.key === undefined) open(late);
      });
    };
    void find();
    // A new link can be opened in the same tab.
    const takeNew = () => location.hash.startsWith('#code=') && void find();
    window.addEventListener('hashchange', takeNew);
    return () => window.removeEventListener('hashchange', takeNew);
  }, []);
  const key = opening.value?.key;
  useEffect(() => (key === undefined ? undefined : shareKey(key)), [key]);
  if (opening.value === undefined) return null;
  return (
    <>
      {key === undefined ? (
        <Door onOpen={open} reason={opening.value.problem} />
      ) : (
        <OpenRoom
          key={key}
          apiKey={key}
          route={route}
          onOpen={open}
          onLeave={() => {
            opening.value = {};
          }}
        />
      )}
      <Notices />
      <Questions />
    </>
  );
}

interface OpenRoomProperties {
  readonly apiKey: string;
  readonly route: ReturnType<typeof followRoute>;
  readonly onOpen: (key: string) => void;
  readonly onLeave: () => void;
}

function OpenRoom({ apiKey, route, onOpen, onLeave }: OpenRoomProperties) {
  const live = useMemo(() => followWorkspace(new Surface(apiKey)), [apiKey]);
  useEffect(() => () => live.stop(), [live]);
  // Only a refusal concerns the room. To read the connection here would draw the whole room at each of its changes.
  const reason = useComputed(() => {
    const { value: connection } = live.connection;
    return connection.kind === 'refused' ? connection.error.message : undefined;
  }).value;
  if (reason !== undefined) return <Door onOpen={onOpen} reason={reason} />;
  return (
    <BenchContext.Provider value={{ live, route, openWith: onOpen }}>
      <Room onLeave={onLeave} />
    </BenchContext.Provider>
  );
}
