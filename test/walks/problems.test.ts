/** Problems in the reader's language: at fields while typing, after a try to save, and in dialogs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { browserMissing } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'

const { cast, open, openAs } = await startDashboard()
const button = (name: string): { role: string; name: string } => ({ role: 'button', name })

describe('problems', { skip: browserMissing() }, () => {
  it('of a headline are told in German', async () => {
    const page = await openAs(cast.admin, '#/headlines/new', { language: 'de' })
    const at = (name: string, role: string, text: string): Promise<unknown> =>
      page.waitFor(async () => (await page.find({ role, name })).description === text, text)
    await page.click({ role: 'textbox', name: 'Titel' })
    await page.press('Tab')
    await at('Titel', 'textbox', 'Geben Sie einen Titel ein')
    await page.fill({ role: 'textbox', name: 'Titel' }, 'Fähre')
    await at('Titel', 'textbox', '')
    await page.click(button('Veröffentlichen'))
    await at('Quelle', 'combobox', 'Wählen Sie eine Quelle')
    await at('Thema', 'combobox', 'Wählen Sie ein Thema')
    await at('Land', 'combobox', 'Wählen Sie ein Land')
    await page.expectNoProblems([{ status: 400 }])
  })

  it('of a new user are told in Arabic, where an account is shown beside its problem', async () => {
    const page = await openAs(cast.admin, '#/users', { language: 'ar' })
    await page.click(button('إضافة مستخدم'))
    const email = { role: 'textbox', name: 'البريد الإلكتروني' }
    await page.type(email, 'unknown')
    await page.press('Enter')
    await page.waitFor(async () => (await page.find(email)).description === 'أدخل بريدًا إلكترونيًا صالحًا', 'the problem')
    await page.fill(email, cast.publisher.email)
    await page.press('Enter')
    await page.waitFor(async () => (await page.find(email)).description.includes('حساب بالفعل'), 'the other problem')
    await page.expectNoProblems([
      { status: 400, url: '/data' },
      { status: 409, url: '/data' },
    ])
  })

  it('of the e-mail address at sign-in are told in French', async () => {
    const page = await open('', { language: 'fr' })
    const email = { role: 'textbox', name: 'Adresse e-mail' }
    // The browser takes it for an address, and the service does not.
    await page.fill(email, 'lecteur@localhost')
    await page.press('Enter')
    await page.find({ role: 'StaticText', name: 'Saisissez une adresse e-mail valide' })
    assert.equal((await page.find(email)).value, 'lecteur@localhost')
  })
})
