/** The version of this program, from package.json. */
import packageJson from '../../package.json' with { type: 'json' }

export const VERSION: string = packageJson.version
