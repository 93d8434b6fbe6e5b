/** The sample content, for an administrator who looks around on a new site. */
import { requireAdministrator } from '../content/rules/access.ts'
import { seedSample } from '../content/seeds/seeding.ts'
import { sampleAdded } from '../models/responses.ts'
import { endpointOn } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import { siteBaseOf } from './site-base.ts'

const endpoint = endpointOn<Service>('Administration')

export const SAMPLE = [
  endpoint({
    route: 'POST /api/v1/admin/sample',
    id: 'loadSample',
    access: 'administrator',
    summary: 'Load the sample content, as "dateline seed" does; existing documents stay as they are',
    response: sampleAdded,
    client: 'admin.loadSample',
  }).handle(async ({ store, content: { flagBaseUrl }, pictures, now }, exchange, { acting }) => {
    const actor = acting(requireAdministrator)
    const added = await seedSample(store, { flagBaseUrl, now: now(), actor, pictures: { keeping: pictures.keeping, base: siteBaseOf(exchange, pictures.base) } })
    const details = Object.entries({ name: 'seed', ...added }).map(([name, value]) => ({ name, value: String(value) }))
    await store.as(actor).record({ event: 'command', details })
    return added
  }),
]
