// The fifth version of the store's file: a lane that is being sent knows by whom.

/* `worker` is the process that holds the lease: known to be dead, it holds its lanes no longer. */
export const version5 = `
ALTER TABLE deliveries ADD COLUMN worker TEXT;
CREATE INDEX deliveries_leased ON deliveries (worker) WHERE lease_token IS NOT NULL;
`;
