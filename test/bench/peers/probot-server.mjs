// The peer that webhooks are measured against: Probot with a handler that does nothing, and so nothing durable either.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { createNodeMiddleware, createProbot } from "probot";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const probot = createProbot({
  overrides: {
    appId: 1,
    privateKey: privateKey.export({ type: "pkcs1", format: "pem" }),
    secret: process.env.BENCH_SECRET,
    logLevel: "fatal",
  },
});
const middleware = await createNodeMiddleware((app) => app.on("push", () => undefined), { probot });
const server = createServer((request, response) => {
  void middleware(request, response, () => response.writeHead(404).end());
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port, path: "/api/github/webhooks" }));
