// The bundle behind `npm start`.
import { main } from "../main.ts";

await main(process.argv.slice(2));
