// Lets the emulator of Slack listen on loopback only: version 0.11.2 listens on all interfaces and knows no option for it.
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return typeof port === "number" && typeof rest[0] !== "string"
    ? listen.call(this, port, "127.0.0.1", ...rest.filter((given) => given !== undefined))
    : listen.call(this, port, ...rest);
};
