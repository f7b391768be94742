/* config.json of a Hugging Face folder, beside a small model's weights. */
#include "harness.h"

#include "../../train/run/pretrained.h"

void fuzz_one(const char *text, size_t length)
{
    static const char header[] = "{\"wte.weight\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}";
    char weights[8 + sizeof header - 1 + 8] = {0};
    uint64_t size = sizeof header - 1;
    memcpy(weights, &size, 8);
    memcpy(weights + 8, header, size);
    fuzz_file("model.safetensors", weights, sizeof weights);
    fuzz_file("config.json", text, length);
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    Config c = config_load(NULL, NULL, 0, given);
    c.from = xstrdup("/folder");
    Pretrained p = pretrained_open(&c, given, c.from);
    config_finish(&c, given);
    pretrained_free(&p);
    config_free(&c);
}
