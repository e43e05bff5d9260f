import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { Notices } from '../../elements/notices.js';
import { followRoute } from '../../live/route.js';
import { followWorkspace } from '../../live/workspace.js';
import { readKey, storeKey } from '../../surface/key.js';
import { Surface } from '../../surface/surface.js';
import { BenchContext } from '../bench.js';
import { Door } from './door.js';
import { Room } from './room.js';

/** The page: asks for a key where it has none, and shows the workspace that the key opens. */
export function App() {
  const key = useSignal(readKey(window));
  const route = useMemo(() => followRoute(window), []);
  useEffect(() => {
    // A new ready message can be opened in the same tab.
    const takeNew = () => {
      key.value = readKey(window);
    };
    window.addEventListener('hashchange', takeNew);
    return () => window.removeEventListener('hashchange', takeNew);
  }, []);
  const open = (given: string) => {
    storeKey(window, given);
    key.value = given;
  };
  return (
    <>
      {key.value === undefined ? (
        <Door onOpen={open} />
      ) : (
        <OpenRoom
          key={key.value}
          apiKey={key.value}
          route={route}
          onOpen={open}
          onLeave={() => {
            key.value = undefined;
          }}
        />
      )}
      <Notices />
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
    return connection.kind === 'refused' ? connection.error : undefined;
  }).value;
  if (reason !== undefined) return <Door onOpen={onOpen} reason={reason} />;
  return (
    <BenchContext.Provider value={{ live, route }}>
      <Room onLeave={onLeave} />
    </BenchContext.Provider>
  );
}
