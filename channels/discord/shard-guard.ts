// Keeps what the library's shards do in the background from ending the process, and from going on after the end.
import { SimpleShardingStrategy, type WebSocketManager, type WebSocketShard } from "@discordjs/ws";

/**
 * The methods that a shard runs without waiting for them. discord.js lets what they throw go unhandled, which ends a process of Node;
 * a packet without its data (`{"op":10}`) is enough. A test sends such packets, so that another version of the library is noticed.
 */
const background = ["onMessage", "onClose", "internalConnect", "heartbeat"] as const;

export interface GuardedShards {
  /** The library's own strategy, its shards guarded. What they throw reaches the manager's `error` event. */
  readonly build: (manager: WebSocketManager) => SimpleShardingStrategy;
  /** Ends their connections for good: a shard that is about to connect again, which the library cannot stop, does not. */
  abandon(): void;
}

export function createGuardedShards(): GuardedShards {
  const guarded: WebSocketShard[] = [];
  let isAbandoned = false;

  function guard(shard: WebSocketShard): void {
    guarded.push(shard);
    for (const name of background) {
      const method: unknown = Reflect.get(shard, name);
      if (typeof method !== "function") continue;
      Reflect.set(shard, name, async (...given: readonly unknown[]): Promise<void> => {
        if (isAbandoned) return;
        try {
          await Reflect.apply(method, shard, given);
        } catch (thrown) {
          shard.emit("error", { error: thrown instanceof Error ? thrown : new Error(String(thrown)) });
        }
      });
    }
  }

  return {
    build(manager) {
      const strategy = new SimpleShardingStrategy(manager);
      const spawn = strategy.spawn.bind(strategy);
      strategy.spawn = async (ids) => {
        await spawn(ids);
        const shards: unknown = Reflect.get(strategy, "shards");
        if (shards instanceof Map) for (const shard of shards.values()) guard(shard as WebSocketShard);
      };
      return strategy;
    },
    abandon() {
      isAbandoned = true;
      for (const shard of guarded) {
        const connection: unknown = Reflect.get(shard, "connection");
        if (typeof connection === "object" && connection !== null) terminate(connection);
      }
    },
  };
}

/** A connection that is still being made has no close; what it may say later is of no interest. */
function terminate(connection: object): void {
  Reflect.set(connection, "onerror", () => undefined);
  const end: unknown = Reflect.get(connection, "terminate");
  if (typeof end === "function") Reflect.apply(end, connection, []);
}
