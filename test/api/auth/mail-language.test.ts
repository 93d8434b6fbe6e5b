// also: executable
/** In which language the mail with a code is written. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { authCalls } from '../../support/service/auth-calls.ts'
import { startSuiteService } from '../../support/service/suite-service.ts'

const service = await startSuiteService()
const { requestCode } = authCalls(service)

/** The language of the newest mail that such a request brings. */
async function languageOf(email: string, acceptLanguage: string | undefined): Promise<string | undefined> {
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }
  assert.equal((await requestCode({ email }, { headers })).status, 202)
  return /^Content-Language: (\S+)/m.exec((await service.mails(email)).at(-1) ?? '')?.[1]
}

for (const [accept, wanted] of [
  [undefined, 'en'],
  ['fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
  ['ja, es;q=0.5', 'es'],
  ['de;q=0, ar;q=0.1', 'ar'],
  [';;;,,,q=', 'en'],
] as const) {
  it(`without an account, Accept-Language ${JSON.stringify(accept)} gives ${wanted}`, async () => {
    assert.equal(await languageOf('stranger@example.org', accept), wanted)
  })
}

it("an account's own language goes before that of the request", async () => {
  const { id, token } = await service.signIn('reader@example.org')
  const languages = await service.data('GET', '', { model: 'language', filter: { code: 'fr' } }, { token })
  const settings = await service.data('GET', `/${id}`, { model: 'user_app_settings' }, { token })
  const body = { ...(settings.at('data') as object), language: languages.at('data.items[0]') }
  const changed = await service.data('PUT', `/${id}`, { model: 'user_app_settings' }, { token, body })
  assert.equal(changed.status, 200, changed.text)
  assert.equal(await languageOf('reader@example.org', 'de'), 'fr')
  assert.equal(await languageOf('reader@example.org', undefined), 'fr')
})
