// entry: k_gelu_fdlibm
// global: round_up(rows * cols, 64)
// local: 64
float my_erf(float x)
{
	float ax = fabs(x);
	if (ax < 0.84375f) {
		if (ax < 3.7252903e-09f) return x + 1.2837916613e-01f * x;
		float z = x * x;
		float r = 1.2837916613e-01f + z * (-3.2504209876e-01f + z * (-2.8481749818e-02f + z * (-5.7702702470e-03f + z * -2.3763017452e-05f)));
		float s = 1.0f + z * (3.9791721106e-01f + z * (6.5022252500e-02f + z * (5.0813062117e-03f + z * (1.3249473704e-04f + z * -3.9602282413e-06f))));
		return x + x * (r / s);
	}
	float y;
	if (ax < 1.25f) {
		float s = ax - 1.0f;
		float P = -2.3621185683e-03f + s * (4.1485610604e-01f + s * (-3.7220788002e-01f + s * (3.1834661961e-01f + s * (-1.1089469492e-01f + s * (3.5478305072e-02f + s * -2.1663755178e-03f)))));
		float Q = 1.0f + s * (1.0642088205e-01f + s * (5.4039794207e-01f + s * (7.1828655899e-02f + s * (1.2617121637e-01f + s * (1.3637083583e-02f + s * 1.1984500103e-02f)))));
		y = 8.4506291151e-01f + P / Q;
	} else if (ax >= 6.0f) {
		y = 1.0f;
	} else {
		float s = 1.0f / (ax * ax), R, S;
		if (ax < 2.857143f) {
			R = -9.8649440333e-03f + s * (-6.9385856390e-01f + s * (-1.0558626175e+01f + s * (-6.2375331879e+01f + s * (-1.6239666748e+02f + s * (-1.8460508728e+02f + s * (-8.1287437439e+01f + s * -9.8143291473e+00f))))));
			S = 1.0f + s * (1.9651271820e+01f + s * (1.3765776062e+02f + s * (4.3456588745e+02f + s * (6.4538726807e+02f + s * (4.2900814819e+02f + s * (1.0863500214e+02f + s * (6.5702495575e+00f + s * -6.0424413532e-02f)))))));
		} else {
			R = -9.8649431020e-03f + s * (-7.9928326607e-01f + s * (-1.7757955551e+01f + s * (-1.6063638306e+02f + s * (-6.3756646729e+02f + s * (-1.0250950928e+03f + s * -4.8351919556e+02f)))));
			S = 1.0f + s * (3.0338060379e+01f + s * (3.2579251099e+02f + s * (1.5367296143e+03f + s * (3.1998581543e+03f + s * (2.5530502930e+03f + s * (4.7452853394e+02f + s * -2.2440952301e+01f))))));
		}
		y = 1.0f - exp(-ax * ax - 0.5625f + R / S) / ax;
	}
	return x < 0.0f ? -y : y;
}
float f(float v)
{
	if (v != v) return v;
	return v * 0.5f * (1.0f + my_erf(v * 0.70710678118f));
}
__kernel void k_gelu_fdlibm(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols) return;
	size_t r = i / cols, c = i - r * cols;
	float v = kf_load(x, r * x_stride + c);
	kf_store(out, r * out_stride + c, f(v));
}
