/**
 * `npm run conformance -- NAME [CHECK…]`: the service before programs of others, which are fetched once into dist/tools. A check that
 * cannot get its program says so and passes.
 */
import { runChecks, type Conformance } from './conformance/conformance.ts'
import { CONTAINER } from './conformance/container/container-checks.ts'
import { FEED } from './conformance/feed/feed-checks.ts'
import { MAIL } from './conformance/mail/mail-checks.ts'
import { OFFSITE } from './conformance/offsite/offsite-checks.ts'
import { OPENAPI } from './conformance/openapi/openapi-checks.ts'
import { PICTURE } from './conformance/picture/picture-checks.ts'
import { PUBLICATION } from './conformance/publication/publication-checks.ts'
import { SYNC } from './conformance/sync/sync-checks.ts'

const CONFORMANCES: Readonly<Record<string, Conformance>> = {
  ...{ container: CONTAINER, feed: FEED, mail: MAIL, offsite: OFFSITE, openapi: OPENAPI, picture: PICTURE, publication: PUBLICATION, sync: SYNC },
}

const [name = '', ...words] = process.argv.slice(2)
const found = Object.hasOwn(CONFORMANCES, name) ? CONFORMANCES[name] : undefined
if (found === undefined) {
  console.error(`Usage: npm run conformance -- ${Object.keys(CONFORMANCES).join('|')} [CHECK…]`)
  process.exit(2)
}
// RxDB leaves timers behind, and so does a check that took too long.
process.exit(await runChecks(name, found, words))
