// Says in a sentence why the server cannot listen, and what to do about it.
import { AppError } from "../core/errors.ts";

export function listenError(thrown: NodeJS.ErrnoException, host: string, port: number): AppError {
  const params = { host, port };
  switch (thrown.code) {
    case "EADDRINUSE":
      return new AppError("config", `Port ${port} on ${host} is taken by another program.`, {
        reason: "port_busy",
        params,
        remedy: "Stop the other program (perhaps an earlier start of this bot), or set another port in server.port.",
        cause: thrown,
      });
    case "EACCES":
      return new AppError("config", `This user may not listen on port ${port}.`, {
        reason: "port_forbidden",
        params,
        remedy: "Set a port above 1023 in server.port, or let the bot run behind a proxy.",
        cause: thrown,
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new AppError("config", `${host} is no address of this machine.`, {
        reason: "host_unavailable",
        params,
        remedy: "Set server.host to an address of this machine, such as 127.0.0.1.",
        cause: thrown,
      });
    default:
      return new AppError("config", `The server cannot listen on ${host}:${port}.`, {
        reason: "listen_failed",
        params,
        remedy: "Check server.host and server.port.",
        detail: thrown.message,
        cause: thrown,
      });
  }
}
