// The floor of a webhook where Probot cannot be had: read, check the signature, parse, and keep nothing.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.BENCH_SECRET;
const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
    const given = Buffer.from(request.headers["x-hub-signature-256"] ?? "");
    const isRight = given.length === expected.length && timingSafeEqual(given, expected);
    response.writeHead(isRight && JSON.parse(body.toString()).ref ? 200 : 401).end();
  });
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port, path: "/" }));
