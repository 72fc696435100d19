// The least that a server with a store is: node:http on a free port and an open SQLite file; the floor of the product's start.
import { createServer } from "node:http";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";

const db = new BetterSqlite3(join(process.argv[2] ?? ".", "bare.sqlite"));
db.pragma("journal_mode = WAL");
db.exec("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY)");
const server = createServer((_, response) => response.end('{"ok":true}\n'));
server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.once("SIGTERM", () => server.close(() => process.exit(0)));
