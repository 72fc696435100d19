// What channels keep between restarts: events they have seen, who holds a connection, installations, small notes.

/** Named atomic operations like those of `Store`, of which they are a part. All times are ms since the epoch. */
export interface ChannelStore {
  /**
   * Claims a platform's event before any work is done for it. True when it is new, or when a claim older than 60 s was never
   * settled (its process died): whoever gets true does the work and settles. Claims and settled events are kept for 24 h.
   */
  claimEvent(event: PlatformEvent, now: number): Promise<boolean>;
  /** The event's work is stored or done: it is never claimed again within 24 h. */
  settleEvent(event: PlatformEvent, now: number): Promise<void>;
  /** The work failed before it had any effect: the next copy of the event may claim it. */
  releaseEvent(event: PlatformEvent): Promise<void>;

  /**
   * One holder a name. True when `owner` holds the lease now: it was free, ran out, or was the owner's already (it is then
   * prolonged). A holder renews well before `ttlMs` is over, and stops what the lease guards when it gets false.
   */
  acquireLease(request: {
    readonly name: string;
    readonly owner: string;
    readonly ttlMs: number;
    readonly now: number;
  }): Promise<boolean>;
  /** Does nothing when somebody else holds it. */
  releaseLease(name: string, owner: string): Promise<void>;

  /** In place of an earlier one of the same workspace. */
  saveInstallation(installation: StoredInstallation): Promise<void>;
  installation(channel: string, workspace: string): Promise<StoredInstallation | null>;
  /** Those that are not revoked, oldest first. */
  installations(channel: string): Promise<readonly StoredInstallation[]>;
  /** The tokens are forgotten, the row stays; false when there is none. */
  revokeInstallation(request: {
    readonly channel: string;
    readonly workspace: string;
    readonly now: number;
  }): Promise<boolean>;

  /** A small fact of a channel, such as the hash of the commands it registered; null when there is none. */
  note(channel: string, key: string): Promise<string | null>;
  saveNote(channel: string, key: string, value: string): Promise<void>;
}

/** `key` is unique within the channel: the platform's own id of the event, with its kind where ids of kinds may meet. */
export interface PlatformEvent {
  readonly channel: string;
  readonly key: string;
}

export interface StoredInstallation {
  readonly channel: string;
  /** Team, enterprise or tenant. */
  readonly workspace: string;
  readonly name?: string;
  /** The tokens, sealed by the channel (channels/kit/sealing.ts): the store never sees them. Empty once revoked. */
  readonly sealed: string;
  readonly installedAt: number;
  readonly revokedAt?: number;
}
