// An empty home for each coding agent, with a dummy key and the model server on loopback as the only one it knows.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY = 'dummy';

/** How often an agent repeats a request by itself, where it has a setting for that. Then Umpire retries the task. */
const OWN_RETRIES = 1;

/** The environment of an agent that lives in `home` and knows the model at this port. `hasPlan`: it is paid by a plan, not by a key. */
export function environmentIn(home, port, hasPlan = false) {
  const model = `http://127.0.0.1:${port}`;
  for (const folder of ['.codex', '.gemini']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, '.codex', 'config.toml'), codexConfig(model));
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(GEMINI_SETTINGS));
  return {
    HOME: home,
    npm_config_update_notifier: 'false',
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    ANTHROPIC_BASE_URL: model,
    // Claude Code knows plan limits only when it is signed in.
    ...(hasPlan ? { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: KEY } : { ANTHROPIC_API_KEY: KEY }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // By itself it tries ten times, and waits longer each time.
    CLAUDE_CODE_MAX_RETRIES: String(OWN_RETRIES),
    // Over ACP it would else be told that it may skip its permissions, and refuses to start for root.
    IS_SANDBOX: '',
    FAKE_KEY: KEY,
    GEMINI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: model,
    OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(model)),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  };
}

const GEMINI_SETTINGS = { security: { auth: { selectedType: 'gemini-api-key' } }, general: { maxAttempts: 1 + OWN_RETRIES } };

function codexConfig(model) {
  return `model = "fake"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = ${OWN_RETRIES}
stream_max_retries = ${OWN_RETRIES}
`;
}

function opencodeConfig(model) {
  const options = { baseURL: `${model}/v1`, apiKey: KEY };
  const models = { small: { name: 'small', cost: { input: 3, output: 15 } } };
  return {
    model: 'fake/small',
    small_model: 'fake/small',
    provider: { fake: { npm: '@ai-sdk/openai-compatible', options, models } },
  };
}
